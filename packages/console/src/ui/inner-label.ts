/** `model.shop.orders` is `orders`, and `test.shop.unique_orders_id.b0904f19ee` is `unique_orders_id`. */
export function innerLabel(name: string, kind: string): string {
  const [first, , ...rest] = name.split(".");
  if (first !== kind || rest.length === 0) return name;
  return rest.filter((part, at) => at === 0 || !/^[0-9a-f]{10}$/.test(part)).join(".");
}
