/** What a key had to say, shown for a moment. */
import { useEffect, useState } from 'react';

const NOTE_MS = 4_000;

export function useNote() {
  const [note, setNote] = useState('');
  useEffect(() => {
    if (note === '') return;
    const timer = setTimeout(() => setNote(''), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);
  return [note, setNote] as const;
}
