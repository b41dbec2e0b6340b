/**
 * Parses `text/event-stream` as it arrives: however the stream is cut into pieces, the events are
 * the same.
 */

export type ServerEvent = { name: string; data: string; id: string };

const LINE_END = /\r\n|\r|\n/g;

export class EventParser {
  private text = '';
  /** Before this position the text contains no line end. */
  private scanned = 0;
  private atStart = true;
  /** Whether the last piece ended with a CR, so that a following LF belongs to it. */
  private afterReturn = false;
  private name = '';
  private data: string[] = [];
  /** The last id, which also applies to the following events until a new one is sent. */
  private id = '';

  /** The events that `piece` completes. */
  push(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    for (const line of this.lines(piece)) {
      const event = this.read(line);
      if (event !== null) events.push(event);
    }
    return events;
  }

  private lines(piece: string): string[] {
    if (piece === '') return [];
    this.text += this.afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.afterReturn = piece.endsWith('\r');
    if (this.atStart) {
      this.text = this.text.replace(/^\uFEFF/, '');
      this.atStart = false;
    }
    const lines: string[] = [];
    let start = 0;
    LINE_END.lastIndex = this.scanned;
    for (let end = LINE_END.exec(this.text); end !== null; end = LINE_END.exec(this.text)) {
      lines.push(this.text.slice(start, end.index));
      start = LINE_END.lastIndex;
    }
    this.text = this.text.slice(start);
    this.scanned = this.text.length;
    return lines;
  }

  private read(line: string): ServerEvent | null {
    if (line === '') return this.complete();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.name = value;
    if (field === 'data') this.data.push(value);
    if (field === 'id' && !value.includes('\0')) this.id = value;
    return null;
  }

  private complete(): ServerEvent | null {
    const { name, data, id } = this;
    this.name = '';
    this.data = [];
    if (data.length === 0) return null;
    return { name: name === '' ? 'message' : name, data: data.join('\n'), id };
  }
}
