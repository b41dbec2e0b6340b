/** A message as the API gives it. */
import { Anchor } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import { Copy } from '../../ui/Copy';
import { cut } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import { JsonText } from './JsonText';
import classes from './JsonTab.module.css';

const SHOWN_CHARACTERS_MAX = 50_000;

export function JsonTab({ message }: { message: Message }) {
  const [all, setAll] = useState(false);
  const json = useMemo(() => JSON.stringify(message, null, 2), [message]);
  const { text, left } = cut(json, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <section className="relative" aria-label="JSON">
      <span className={classes.copy}>
        <Copy what="JSON" text={json} />
      </span>
      <pre className={classes.json} tabIndex={0} role="region" aria-label="Message as JSON">
        <JsonText text={text} />
      </pre>
      {left > 0 && (
        <Anchor component="button" size="sm" onClick={() => setAll(true)}>
          Show {formatCount(left)} more characters
        </Anchor>
      )}
    </section>
  );
}
