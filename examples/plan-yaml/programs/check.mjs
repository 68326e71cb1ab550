/** Any program will do; its output is kept, line by line, as the step's log. */
const [day = ""] = process.argv.slice(2);
console.log(`looking for the files of ${day}`);
if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) {
  console.error(`${day} is no day; write it as in 2026-11-14`);
  process.exitCode = 1;
}
