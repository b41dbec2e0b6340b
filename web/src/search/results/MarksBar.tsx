/** The marked messages, the actions on them, and the feedback for the last key. */
import { Button } from '@mantine/core';
import { IconColumns2 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import classes from './MarksBar.module.css';

export const MARKS_MAX = 4;

type Props = {
  marks: readonly string[];
  note: string;
  onCompare: () => void;
  onClear: () => void;
};

export function MarksBar({ marks, note, onCompare, onClear }: Props) {
  return (
    <>
      <div className={classes.floor}>
        <div role="status" className={classes.note} data-empty={note === ''}>
          {note}
        </div>
        {marks.length > 0 && (
          <div className={classes.marks} role="group" aria-label="Marked messages">
            <span>{marks.length} marked</span>
            <Button
              variant="filled"
              leftSection={<IconColumns2 size={16} />}
              disabled={marks.length < 2}
              onClick={onCompare}
            >
              Compare
            </Button>
            <Button variant="subtle" color="gray" onClick={onClear}>
              Clear
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

const NOTE_MS = 4_000;

/** The feedback of a key, shown for a moment. */
export function useNote() {
  const [note, setNote] = useState('');
  useEffect(() => {
    if (note === '') return;
    const timer = setTimeout(() => setNote(''), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);
  return [note, setNote] as const;
}
