select product_id, name as product_name, category, price_cents
from {{ ref('raw_products') }}
