/** The legend of the bars' colours. A click shows one of them alone. */
import { UnstyledButton } from '@mantine/core';
import type { MouseEvent } from 'react';
import type { Layer, Stack } from '../../ui/chart/stack';
import { formatCount } from '../../ui/number';
import classes from './Timeline.module.css';

type Props = {
  stack: Stack;
  split: string;
  /** The label of the layer that is shown alone. */
  alone: string | null;
  onAlone: (label: string | null) => void;
  onExclude: (value: string) => void;
  /** The meaning of the line, and how to hide it. */
  before: { text: string; total: number | undefined; isOn: boolean; onToggle: () => void } | null;
};

export function Legend({ stack, split, alone, onAlone, onExclude, before }: Props) {
  return (
    <ul className={classes.legend} aria-label={split === '' ? 'Bars' : `Bars by ${split}`}>
      {split !== '' &&
        stack.layers.map((layer) => (
          <li key={layer.label}>
            <Entry
              layer={layer}
              split={split}
              isAlone={layer.label === alone}
              isBack={alone !== null && layer.label !== alone}
              onAlone={onAlone}
              onExclude={onExclude}
            />
          </li>
        ))}
      {before !== null && (
        <li>
          <UnstyledButton
            className={classes.entry}
            aria-pressed={before.isOn}
            title={before.isOn ? 'Hide the line' : 'Compare with the range before'}
            data-back={!before.isOn}
            onClick={before.onToggle}
          >
            <span className={classes.line} />
            <span className={classes.label}>{before.text}</span>
            {before.isOn && before.total !== undefined && <b>{formatCount(before.total)}</b>}
          </UnstyledButton>
        </li>
      )}
    </ul>
  );
}

type EntryProps = Pick<Props, 'split' | 'onAlone' | 'onExclude'> & {
  layer: Layer;
  isAlone: boolean;
  isBack: boolean;
};

function Entry({ layer, split, isAlone, isBack, onAlone, onExclude }: EntryProps) {
  const { value, label, color, pattern, total } = layer;
  const excludes = value === null ? '' : `\nAlt-click to exclude ${split}=${value}`;
  const press = (event: MouseEvent) => {
    if (event.altKey && value !== null) onExclude(value);
    else onAlone(isAlone ? null : label);
  };
  return (
    <UnstyledButton
      className={classes.entry}
      aria-pressed={isAlone}
      data-alone={isAlone}
      data-back={isBack}
      title={(isAlone ? 'Click to show all' : `Click to show only ${label}`) + excludes}
      onClick={press}
    >
      <span className={classes.swatch} data-pattern={pattern} style={{ background: color }} />
      <span className={classes.label}>{label}</span>
      <b>{formatCount(total)}</b>
    </UnstyledButton>
  );
}
