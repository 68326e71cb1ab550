select order_id, customer_id, product_id, quantity, status, cast(ordered_on as date) as ordered_on
from {{ ref('raw_orders') }}
