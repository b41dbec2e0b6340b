/** A message as one line of the stream. Cheap: hundreds a second come and go. */
import { IconChevronRight } from '@tabler/icons-react';
import { type MouseEvent, memo } from 'react';
import type { Message } from '../api/model';
import { SeverityMark } from '../ui/Severity';
import type { Hits } from '../ui/highlight';
import { Marked } from '../ui/message/Marked';
import { ROW_CHARACTERS_MAX, cut, visible } from '../ui/message/text';
import { type Zone, partsOf } from '../ui/time';
import classes from './Stream.module.css';

type Props = {
  id: number;
  message: Message;
  marks: Hits;
  zone: Zone;
  wrap: boolean;
  isOpen: boolean;
  /** Whether the Tab key comes to it: one line of the stream is enough. */
  isReachable: boolean;
  onToggle: (id: number) => void;
};

export const MessageLine = memo(function MessageLine(props: Props) {
  const { id, message, marks, zone, wrap, isOpen, isReachable, onToggle } = props;
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    // A selection over a line is made for its text, not for its details.
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
      <SeverityMark message={message} />
      <time className={classes.time} dateTime={message.time} title={message.time}>
        {partsOf(message.time, zone)?.clock ?? message.time}
      </time>
      <span className={classes.cut} title={message.host}>
        {visible(message.host)}
      </span>
      <span className={classes.cut} title={message.program}>
        {visible(message.program)}
        {message.pid !== '' && <span className={classes.pid}>[{visible(message.pid)}]</span>}
      </span>
      <span className={classes.text}>
        <Marked
          text={cut(message.message, ROW_CHARACTERS_MAX).text}
          field="message"
          hits={marks}
          lines={wrap}
        />
      </span>
    </div>
  );
});
