select category, count(*) as orders, sum(total_cents) as total_cents
from {{ ref('order_lines') }}
where status <> 'returned'
group by category
