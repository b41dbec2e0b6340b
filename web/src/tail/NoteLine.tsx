/** A note about this place in the stream: a band across it. */
import { formatCount } from '../ui/number';
import { type Zone, useZone } from '../ui/time';
import type { Note } from './buffer';
import { clockText } from './idle';
import classes from './Stream.module.css';

export function NoteLine({ note, rowIndex }: { note: Note; rowIndex: number }) {
  const [zone] = useZone();
  return (
    <div role="row" aria-rowindex={rowIndex} className={classes.note} data-kind={note.kind}>
      <span role="cell">{noteText(note, zone)}</span>
    </div>
  );
}

function noteText(note: Note, zone: Zone): string {
  switch (note.kind) {
    case 'disconnected':
      return `Disconnected ${stretch(note, zone)}`;
    case 'paused':
      return `Paused ${stretch(note, zone)}`;
    case 'gap':
      return `${formatCount(note.messages)} messages are missing here: ${note.reason}`;
  }
}

function stretch(note: Extract<Note, { refilled: number }>, zone: Zone): string {
  const from = clockText(note.from, zone);
  if (note.until === null) return `since ${from}`;
  const messages = note.refilled === 1 ? 'message' : 'messages';
  const refilled = `refilled ${formatCount(note.refilled)} ${messages}`;
  return `${from} – ${clockText(note.until, zone)}, ${refilled}`;
}
