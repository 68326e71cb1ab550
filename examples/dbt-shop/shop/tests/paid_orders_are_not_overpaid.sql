-- Orders whose payments exceed their total. Every row is a failure.
select l.order_id
from {{ ref('order_lines') }} as l
join {{ ref('stg_payments') }} as p on p.order_id = l.order_id
group by l.order_id, l.total_cents
having sum(p.amount_cents) > l.total_cents
