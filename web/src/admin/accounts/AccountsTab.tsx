/** Users and tokens, found by one box and sorted by one choice. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { tokensQuery } from '../../api/tokens';
import { sessionsOfQuery, usersQuery } from '../../api/users';
import { useCommands } from '../../ui/commands';
import { address } from '../../ui/open';
import { type AdminState, type SortKey, sortedBy, writeAdmin } from '../adminParams';
import { FilterField } from '../FilterField';
import type { UserRow } from './rows';
import { TokenTable } from './TokenTable';
import { UserTable } from './UserTable';

type Props = {
  state: AdminState;
  onChange: (state: AdminState, replace?: boolean) => void;
};

export function AccountsTab({ state, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const users = useQuery(usersQuery);
  const tokens = useQuery(tokensQuery);
  const rows = useUserRows(users.data);
  useCommands([
    {
      id: 'find-account',
      title: 'Find a user or token',
      keys: '/',
      run: () => field.current?.focus(),
    },
  ]);
  const onSort = (by: SortKey) => onChange({ ...state, sort: sortedBy(state.sort, by) }, true);
  const hrefOf = (panel: AdminState['panel']) => address('/admin', writeAdmin({ ...state, panel }));
  return (
    <>
      <UserTable
        rows={users.data === undefined ? null : rows}
        error={users.error}
        {...{ state, onSort, hrefOf }}
        onRetry={() => void users.refetch()}
        finder={
          <FilterField
            ref={field}
            label="Find a user or token"
            placeholder="Name, role, logspace, scope"
            value={state.find}
            onChange={(find) => onChange({ ...state, find }, true)}
          />
        }
      />
      <TokenTable
        tokens={tokens.data ?? null}
        now={tokens.dataUpdatedAt}
        error={tokens.error}
        {...{ state, onSort, hrefOf }}
        onRetry={() => void tokens.refetch()}
      />
    </>
  );
}

/** The users, each with the sessions as far as they are known. */
export function useUserRows(users: readonly UserRow['user'][] | undefined): UserRow[] {
  return useQueries({
    queries: (users ?? []).map(({ name }) => sessionsOfQuery(name)),
    combine: (answers) =>
      (users ?? []).map((user, at) => ({ user, sessions: answers[at]?.data ?? null })),
  });
}
