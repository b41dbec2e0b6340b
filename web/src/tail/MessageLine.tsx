/** A message as one line of the stream. Cheap: hundreds a second come and go. */
import { IconChevronRight } from '@tabler/icons-react';
import { type MouseEvent, memo } from 'react';
import type { Message } from '../api/model';
import { Severity } from '../ui/Severity';
import { type Zone, partsOf } from '../ui/time';
import { type Marks, mark } from './marks';
import classes from './Stream.module.css';

/** How much of a message its line holds; the details have the rest. */
const LINE_CHARACTERS_MAX = 1_000;

type Props = {
  id: number;
  message: Message;
  marks: Marks;
  zone: Zone;
  isOpen: boolean;
  /** Whether the Tab key comes to it: one line of the stream is enough. */
  isReachable: boolean;
  onToggle: (id: number) => void;
};

export const MessageLine = memo(function MessageLine(props: Props) {
  const { id, message, marks, zone, isOpen, isReachable, onToggle } = props;
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    // Whoever drags over a line wants its text, not its details.
    if (getSelection()?.isCollapsed !== false) onToggle(id);
  };
  return (
    <div className={classes.line} data-open={isOpen} onClick={toggle}>
      <button
        type="button"
        className={classes.opener}
        tabIndex={isReachable ? 0 : -1}
        aria-expanded={isOpen}
        aria-label="Details"
        onClick={toggle}
      >
        <IconChevronRight size={14} aria-hidden />
      </button>
      <time className={classes.time} dateTime={message.time} title={message.time}>
        {partsOf(message.time, zone)?.clock ?? message.time}
      </time>
      <span className={classes.severity}>
        <Severity message={message} />
      </span>
      <span className={classes.origin}>
        <span className={classes.cut}>{message.host}</span>
        <span className={classes.program}>{message.program}</span>
      </span>
      <span className={classes.text}>
        {mark(message.message.slice(0, LINE_CHARACTERS_MAX), marks).map(({ text, tone }, at) =>
          tone === null ? (
            text
          ) : (
            <mark key={at} data-tone={tone}>
              {text}
            </mark>
          ),
        )}
      </span>
    </div>
  );
});
