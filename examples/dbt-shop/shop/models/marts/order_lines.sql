select
  o.order_id,
  o.customer_id,
  o.ordered_on,
  o.status,
  p.category,
  o.quantity * p.price_cents as total_cents
from {{ ref('stg_orders') }} as o
join {{ ref('stg_products') }} as p on p.product_id = o.product_id
