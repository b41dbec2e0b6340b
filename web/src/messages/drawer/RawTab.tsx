/** The bytes of a message as they were received, as text or in hexadecimal, and what they were taken for. */
import { Anchor, Group, SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import { Copy } from '../../ui/Copy';
import type { Hits } from '../../ui/highlight';
import { HighlightedText } from '../../ui/message/HighlightedText';
import { cut } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import { bytesOf, hexRows } from './bytes';
import { detectedFormat } from './detectedFormat';
import { useBrowserState } from '../../ui/useBrowserState';
import classes from './RawTab.module.css';

const SHOWN_MAX = 4_096;
const MORE = 65_536;

/** Sixteen bytes and their text need this much. */
const WIDE_PX = 540;

type Form = 'text' | 'hex';
type Props = { message: Message; hits: Hits };

export function RawTab({ message, hits }: Props) {
  const [form, setForm] = useBrowserState<Form>({
    key: 'logstead-raw-form',
    defaultValue: 'text',
  });
  const { ref, width } = useElementSize<HTMLPreElement>();
  const perRow = width > 0 && width < WIDE_PX ? 8 : 16;
  const [shownMax, setShownMax] = useState(SHOWN_MAX);
  const bytes = useMemo(() => bytesOf(message), [message]);
  const { text, left } = cut(message.raw, shownMax);
  const missing = form === 'hex' ? Math.max(0, bytes.length - shownMax) : left;
  return (
    <>
      <Group justify="space-between" mb={8}>
        <SegmentedControl<Form>
          aria-label="Form"
          value={form}
          onChange={setForm}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'hex', label: 'Hex' },
          ]}
        />
        <Copy
          what={form === 'hex' ? 'hex' : 'raw'}
          text={form === 'hex' ? hexRows(bytes, bytes.length) : message.raw}
        />
      </Group>
      <pre
        ref={ref}
        className={classes.raw}
        data-form={form}
        tabIndex={0}
        role="region"
        aria-label="Raw message"
      >
        {form === 'hex' ? (
          hexRows(bytes, shownMax, perRow)
        ) : (
          <HighlightedText text={text} field="raw" hits={rawHits(hits)} lines />
        )}
      </pre>
      {missing > 0 && (
        <Anchor component="button" size="sm" onClick={() => setShownMax(shownMax + MORE)}>
          Show more ({formatCount(missing)} {form === 'hex' ? 'bytes' : 'characters'} are left)
        </Anchor>
      )}
      {message.raw_base64 !== undefined && form === 'text' && (
        <p className="caution">Not UTF-8: shown approximately. Hex shows every byte.</p>
      )}
      <dl className={classes.facts}>
        {detectedFormat(message, bytes.length).map(({ what, as }, at) => (
          <div key={at}>
            <dt>{what}</dt>
            <dd>{as}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Hits in the message are also in its bytes. */
function rawHits(hits: Hits): Hits {
  return hits
    .filter(({ field }) => field === null || field === 'message' || field === 'raw')
    .map((term) => ({ ...term, field: 'raw' }));
}
