/** The project that a server of a bench has. */
export default { workflows: ["./workflows.mjs"] };
