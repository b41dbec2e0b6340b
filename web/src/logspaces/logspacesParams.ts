/** The state of the page, kept in the address bar. */
export const tabs = ['retention', 'options'] as const;
export type Tab = (typeof tabs)[number];

export const fillFields = ['host', 'program'] as const;
export type FillField = (typeof fillFields)[number];

export type LogspacesState = {
  /** The id of the open logspace; null for the first one. */
  open: string | null;
  tab: Tab;
  /** The field whose largest values are listed. */
  by: FillField;
  /** Whether a new logspace is being created. */
  isAdding: boolean;
};

type Params = Record<string, string | undefined>;

export function readLogspaces(params: Params): LogspacesState {
  return {
    open: params['space'] ?? null,
    tab: tabs.find((tab) => tab === params['tab']) ?? 'retention',
    by: fillFields.find((field) => field === params['by']) ?? 'host',
    isAdding: params['new'] === 'logspace',
  };
}

/** The shortest parameters from which `readLogspaces` reads the same state. */
export function writeLogspaces({
  open,
  tab,
  by,
  isAdding,
}: LogspacesState): Record<string, string> {
  return {
    ...(open !== null && { space: open }),
    ...(tab !== 'retention' && { tab }),
    ...(by !== 'host' && { by }),
    ...(isAdding && { new: 'logspace' }),
  };
}
