const [day, cents] = process.argv.slice(2);
console.log(`${day}: ${Number(cents) / 100} in orders`);
