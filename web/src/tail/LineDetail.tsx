/** Everything that a message carries, below its line. */
import { Anchor } from '@mantine/core';
import type { Message } from '../api/model';
import { Copy } from '../ui/Copy';
import { formatCount } from '../ui/number';
import type { Hits } from '../ui/highlight';
import { FieldList } from '../ui/message/FieldList';
import { Marked } from '../ui/message/Marked';
import { cut } from '../ui/message/text';
import classes from './LineDetail.module.css';

/** A message can be 64 KiB and more; Search shows all of it. */
const TEXT_CHARACTERS_MAX = 8_000;

type Props = {
  message: Message;
  marks: Hits;
  searchLink: string;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

export function LineDetail({ message, marks, searchLink, onFilter }: Props) {
  const { text, left } = cut(message.message, TEXT_CHARACTERS_MAX);
  return (
    <div className={classes.detail}>
      <div className={classes.head}>
        <h2>Message</h2>
        <Anchor href={searchLink} size="sm" underline="always">
          Open in Search
        </Anchor>
        <Copy what="raw message" text={message.raw} />
      </div>
      <pre className={classes.text} tabIndex={0} role="region" aria-label="Message">
        <Marked text={text} field="message" hits={marks} lines />
        {left > 0 && ` … ${formatCount(left)} more characters`}
      </pre>
      <div className={classes.fields}>
        <FieldList message={message} hits={marks} onFilter={onFilter} />
      </div>
    </div>
  );
}
