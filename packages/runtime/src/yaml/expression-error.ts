export class ExpressionError extends Error {
  constructor(
    message: string,
    /** Position in the expression. */
    readonly offset: number,
  ) {
    super(message);
    this.name = "ExpressionError";
  }
}
