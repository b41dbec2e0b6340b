/** The text of a message as it is best read, or as it was sent. */
import { Anchor } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import { HighlightedText } from '../../ui/message/HighlightedText';
import { cut } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import { JsonText } from './JsonText';
import { type Payload, payloadOf } from './payload';
import classes from './PayloadBox.module.css';

/** A message can be 64 KiB and more; this much is shown until one asks for all of it. */
const SHOWN_CHARACTERS_MAX = 8_000;

type Props = { message: Message; payload: Payload; hits: Hits };

export function usePayload({ message }: Message): Payload {
  return useMemo(() => payloadOf(message), [message]);
}

export function PayloadBox({ message, payload, hits }: Props) {
  const [isRaw, setRaw] = useState(false);
  return (
    <section className={classes.box} aria-label="Text">
      <div className={classes.head}>
        <h3>{isRaw ? 'As sent' : nameOf(payload)}</h3>
        {payload.kind !== 'text' && (
          <button
            type="button"
            className={classes.toggle}
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
          >
            Raw
          </button>
        )}
      </div>
      {isRaw ? (
        <Text text={message.message} hits={hits} />
      ) : (
        <Formatted payload={payload} hits={hits} />
      )}
    </section>
  );
}

function Formatted({ payload, hits }: { payload: Payload; hits: Hits }) {
  switch (payload.kind) {
    case 'json':
      return (
        <>
          <Json text={payload.text} />
          {payload.trace !== null && (
            <>
              <h3>Stack trace</h3>
              <Text text={payload.trace} hits={hits} name="Stack trace" />
            </>
          )}
        </>
      );
    case 'pairs':
      return (
        <dl className={classes.pairs} tabIndex={0} aria-label="Message">
          {payload.pairs.map(({ key, value }, at) => (
            <div key={at}>
              <dt>{key}</dt>
              <dd>
                <HighlightedText
                  text={cut(value, SHOWN_CHARACTERS_MAX).text}
                  field="message"
                  hits={hits}
                />
              </dd>
            </div>
          ))}
        </dl>
      );
    case 'trace':
    case 'text':
      return <Text text={payload.text} hits={hits} />;
  }
}

function Json({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const { text: shown, left } = cut(text, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <>
      <pre className={classes.text} tabIndex={0} aria-label="Message" role="region">
        <JsonText text={shown} />
      </pre>
      <More left={left} onMore={() => setAll(true)} />
    </>
  );
}

type TextProps = { text: string; hits: Hits; name?: string };

function Text({ text, hits, name = 'Message' }: TextProps) {
  const [all, setAll] = useState(false);
  const { text: shown, left } = cut(text, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <>
      <pre className={classes.text} tabIndex={0} aria-label={name} role="region">
        {shown.split('\n').map((line, at) => (
          // Each line by itself: their ends are seen, and need no mark.
          <span key={at}>
            <HighlightedText text={line} field="message" hits={all ? [] : hits} />
            {'\n'}
          </span>
        ))}
      </pre>
      <More left={left} onMore={() => setAll(true)} />
    </>
  );
}

function More({ left, onMore }: { left: number; onMore: () => void }) {
  if (left === 0) return null;
  return (
    <Anchor component="button" size="sm" className={classes.more ?? ''} onClick={onMore}>
      Show {formatCount(left)} more characters
    </Anchor>
  );
}

function nameOf({ kind }: Payload): string {
  switch (kind) {
    case 'json':
      return 'JSON';
    case 'pairs':
      return 'Key and value';
    case 'trace':
      return 'Stack trace';
    case 'text':
      return 'Message';
  }
}
