/** The longest line that is read; a message is shorter. */
const LONGEST_LINE_CHARS = 1 << 29;

/**
 * The lines of a body without their ends, as they come. What follows the last line break is the
 * last line, empty in a body that was not cut.
 */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE_CHARS) throw new RangeError('a line of the answer is too long');
    yield* lines;
  }
  yield rest + decoder.decode();
}
