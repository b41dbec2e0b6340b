/** The text of a message and its fields, with those first that the reader pinned. */
import { TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import { FieldList } from '../../ui/message/FieldList';
import { fieldGroups } from '../../ui/message/fields';
import { toggled } from '../list/columns';
import type { MessageState } from '../messageState';
import { type FieldActions, ValueShares } from './ValueShares';
import { type Share, shareOf, shareText, sharesQuery } from './shares';
import { PayloadBox, usePayload } from './PayloadBox';
import { isAllSaid } from './title';
import { useBrowserState } from '../../ui/useBrowserState';
import classes from './Shares.module.css';

type Props = {
  state: MessageState;
  message: Message;
  hits: Hits;
  columns: readonly string[];
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onColumns: (columns: string[]) => void;
  actions: FieldActions;
};

export function FieldsTab(props: Props) {
  const { state, message, hits, columns, onFilter, onColumns, actions } = props;
  const [opened, setOpened] = useState<string | null>(null);
  const names = useMemo(() => namesOf(message), [message]);
  const { data: shares } = useQuery(sharesQuery(state, names));
  const [filter, setFilter] = useState('');
  const payload = usePayload(message);
  // Its fields say the same, and better.
  const isStructured = payload.kind === 'json' || payload.kind === 'pairs';
  const [pinned, setPinned] = useBrowserState<string[]>({
    key: 'logstead-pinned-fields',
    defaultValue: [],
  });
  return (
    <>
      {!isStructured && !isAllSaid(message) && (
        <PayloadBox message={message} payload={payload} hits={hits} />
      )}
      <TextInput
        size="xs"
        aria-label="Filter fields"
        placeholder="Filter fields by name or value"
        leftSection={<IconFilter size={14} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <FieldList
        message={message}
        hits={hits}
        filter={filter}
        pinned={pinned}
        onPin={(field) => setPinned(toggled(pinned, field))}
        columns={columns}
        onColumn={(field) => onColumns(toggled(columns, field))}
        onFilter={onFilter}
        {...(shares !== undefined && {
          aside: (field: string, value: string) => (
            <ShareBar
              field={field}
              share={shareOf(shares, field, value)}
              isOpen={opened === `${field} ${value}`}
              onToggle={() =>
                setOpened(opened === `${field} ${value}` ? null : `${field} ${value}`)
              }
            />
          ),
          below: (field: string, value: string) =>
            opened === `${field} ${value}` && (
              <ValueShares {...{ state, shares, field, value }} {...actions} />
            ),
        })}
      />
      {isStructured && <PayloadBox message={message} payload={payload} hits={hits} />}
    </>
  );
}

function namesOf(message: Message): string[] {
  const rows = fieldGroups(message).flatMap((group) => group.rows);
  return rows.filter(({ kind }) => kind === 'filter').map(({ field }) => field);
}

type ShareBarProps = { field: string; share: Share | null; isOpen: boolean; onToggle: () => void };

/** The share of a value, as a bar that opens the values of its field. */
export function ShareBar({ field, share, isOpen, onToggle }: ShareBarProps) {
  const text = share === null ? '–' : shareText(share);
  return (
    <button
      type="button"
      className={classes.share}
      aria-expanded={isOpen}
      aria-label={`Values of ${field}: this one ${text}`}
      title={`Values of ${field}`}
      onClick={onToggle}
    >
      <span className={classes.track}>
        <span style={{ width: `${(share?.part ?? 0) * 100}%` }} />
      </span>
      <span className={classes.percent}>{text}</span>
    </button>
  );
}
