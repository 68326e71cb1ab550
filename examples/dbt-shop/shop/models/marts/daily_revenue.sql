select l.ordered_on, sum(l.total_cents) as ordered_cents, sum(coalesce(p.amount_cents, 0)) as paid_cents
from {{ ref('order_lines') }} as l
left join {{ ref('stg_payments') }} as p on p.order_id = l.order_id
where l.status <> 'returned'
group by l.ordered_on
