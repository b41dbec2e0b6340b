/** Texts that the reader wants to see at a glance, each in a colour of its own. */
import { CloseButton, TextInput } from '@mantine/core';
import { IconHighlight } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { HIGHLIGHTS_MAX, type TailState, withHighlight } from './tailParams';
import classes from './Highlights.module.css';

type Props = {
  state: TailState;
  onChange: (state: TailState, replace: boolean) => void;
};

export function Highlights({ state, onChange }: Props) {
  const { highlights } = state;
  const [text, setText] = useState('');
  const isFull = highlights.length >= HIGHLIGHTS_MAX;
  const remove = (highlight: string) =>
    onChange({ ...state, highlights: highlights.filter((known) => known !== highlight) }, true);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    onChange(withHighlight(state, text), true);
    setText('');
  };
  return (
    <div className={classes.highlights}>
      {highlights.map((highlight, at) => (
        <span key={highlight} className={classes.chip} data-color={at + 1}>
          <span className="truncate">{highlight}</span>
          <CloseButton
            size={20}
            iconSize={12}
            c="inherit"
            aria-label={`Remove highlight ${highlight}`}
            onClick={() => remove(highlight)}
          />
        </span>
      ))}
      <TextInput
        size="xs"
        className={classes.input ?? ''}
        aria-label="Highlight"
        placeholder={isFull ? `At most ${HIGHLIGHTS_MAX}` : 'Highlight a text'}
        leftSection={<IconHighlight size={14} />}
        disabled={isFull}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
