select
  c.customer_id,
  c.customer_name,
  c.city,
  count(l.order_id) as orders,
  coalesce(sum(l.total_cents), 0) as total_cents
from {{ ref('stg_customers') }} as c
left join {{ ref('order_lines') }} as l on l.customer_id = c.customer_id and l.status <> 'returned'
group by c.customer_id, c.customer_name, c.city
