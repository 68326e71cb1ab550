select payment_id, order_id, amount_cents, method
from {{ ref('raw_payments') }}
