/** The draft of this browser tab: it outlives a reload and a login, and only this tab sees it. */
import { useSessionStorage } from '@mantine/hooks';
import { useCallback } from 'react';
import type { Draft } from './draft';

export function useDraft(): readonly [Draft | null, (draft: Draft | null) => void] {
  const [draft, setDraft] = useSessionStorage<Draft | null>({
    key: 'logstead-router-draft',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  return [draft, useCallback((next: Draft | null) => setDraft(next), [setDraft])];
}
