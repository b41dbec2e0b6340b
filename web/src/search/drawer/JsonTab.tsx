/** A message as the API gives it. */
import { Anchor } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import { Copy } from '../../ui/Copy';
import { cut, visible } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import classes from './JsonTab.module.css';

const SHOWN_CHARACTERS_MAX = 50_000;

export function JsonTab({ message }: { message: Message }) {
  const [all, setAll] = useState(false);
  const json = useMemo(() => JSON.stringify(message, null, 2), [message]);
  const { text, left } = cut(json, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <section className={classes.box} aria-label="JSON">
      <span className={classes.copy}>
        <Copy what="JSON" text={json} />
      </span>
      <pre className={classes.json} tabIndex={0} role="region" aria-label="Message as JSON">
        {colored(text)}
      </pre>
      {left > 0 && (
        <Anchor component="button" size="sm" onClick={() => setAll(true)}>
          Show {formatCount(left)} more characters
        </Anchor>
      )}
    </section>
  );
}

const PART = /^(\s*)("(?:[^"\\]|\\.)*")(: )?(.*)$/u;

/** A line holds at most one name, and names are what one looks for. */
function colored(json: string) {
  return json.split('\n').map((line, at) => {
    const [, indent = '', name = '', colon, rest = ''] = PART.exec(line) ?? [];
    if (colon === undefined)
      return (
        <span key={at}>
          {visible(line)}
          {'\n'}
        </span>
      );
    return (
      <span key={at}>
        {indent}
        <span className={classes.name}>{visible(name)}</span>
        {colon}
        {visible(rest)}
        {'\n'}
      </span>
    );
  });
}
