/** The tools of the statistics: how they are shown, what of them is drawn, and a copy of the table. */
import { Button, Menu, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconCheck, IconChevronDown, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../../ui/clipboard';
import { formatCount } from '../../ui/number';
import type { ChartView } from '../searchParams';
import { labelOf } from './answerMode';
import { extentOf, headlineOf } from './headline';
import type { TableAnswer } from './queries';
import { toCsv, toMarkdown } from './tableText';
import type { AnswerView } from './view';
import { CopiesLeftOut } from '../page/CopiesLeftOut';
import classes from './Statistics.module.css';

type Props = {
  answer: TableAnswer;
  view: AnswerView;
  isStale: boolean;
  /** Makes copies count. */
  onCopies: () => void;
  onChange: (part: { chart?: ChartView; measure?: string }) => void;
};

export function Bar({ answer, view, isStale, onCopies, onChange }: Props) {
  const { shown, kinds, measures, plot } = view;
  const measure = plot?.measure ?? '';
  const tookMs = Math.max(1, Math.round(answer.took_ms));
  return (
    <div className={classes.bar}>
      <h2 className={classes.headline}>{headlineOf(answer, view)}</h2>
      <span className="dimmed">
        {isStale ? 'Counting…' : `${extentOf(answer, view)}, in ${formatCount(tookMs)} ms`}
      </span>
      {!isStale && <CopiesLeftOut copies={answer.copies} onShow={onCopies} />}
      <span className={classes.tools}>
        {measures.length > 1 && shown !== 'table' && (
          <NativeSelect
            aria-label="Value of the chart"
            value={measure}
            onChange={(event) => onChange({ measure: event.currentTarget.value })}
            data={measures.map((name) => ({
              value: name,
              label: name === '' ? 'All values' : name,
            }))}
          />
        )}
        {kinds.length > 0 && (
          <SegmentedControl
            aria-label="Shown as"
            value={shown}
            onChange={(chart) => onChange({ chart })}
            data={([...kinds, 'table'] as const).map((value) => ({ value, label: labelOf(value) }))}
          />
        )}
        <CopyTable answer={answer} />
      </span>
    </div>
  );
}

const COPIED_SHOWN_MS = 1500;

function CopyTable({ answer }: { answer: TableAnswer }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string) => void copyText(text).then(setCopied);
  return (
    <Menu
      position="bottom-end"
      withInitialFocusPlaceholder={false}
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <Button
          leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          rightSection={<IconChevronDown size={14} />}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Copy the table">
        <Menu.Item onClick={() => copy(toCsv(answer))}>As CSV</Menu.Item>
        <Menu.Item onClick={() => copy(toMarkdown(answer))}>As Markdown</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
