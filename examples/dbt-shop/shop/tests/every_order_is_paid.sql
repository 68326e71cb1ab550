-- An order may be unpaid for a while, so this test only warns.
{{ config(severity='warn') }}
select o.order_id
from {{ ref('stg_orders') }} as o
left join {{ ref('stg_payments') }} as p on p.order_id = o.order_id
where p.payment_id is null
