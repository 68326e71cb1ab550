/** A command step can run any program. Its output becomes the step's log. */
const [day = ""] = process.argv.slice(2);
console.log(`checking the files of ${day}`);
if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) {
  console.error(`${day} is not a day; use the format 2026-11-14`);
  process.exitCode = 1;
}
