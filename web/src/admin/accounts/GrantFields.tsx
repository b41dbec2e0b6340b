/** The part of the store that an account may see: logspaces, and a filter for their messages. */
import { Checkbox, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { completeIn } from '../../api/query';
import { logspacesQuery } from '../../api/logspaces';
import type { Grant } from '../../api/users';
import { QueryField } from '../../ui/query/QueryField';
import { requestRange } from '../../ui/range';
import classes from './Panel.module.css';

/**
 * The grant while it is being edited: "only these" without any selected is not a valid grant yet.
 */
export type GrantDraft = { isAll: boolean; logspaces: readonly string[]; scope: string };

type Props = {
  draft: GrantDraft;
  /** For tokens that may only send: logspaces that they may name, and no scope. */
  isSender?: boolean;
  scopeError: ReactNode;
  logspacesError: ReactNode;
  onChange: (draft: GrantDraft) => void;
};

export function draftOf({ logspaces, scope }: Grant): GrantDraft {
  return { isAll: logspaces === null, logspaces: logspaces ?? [], scope: scope ?? '' };
}

export function grantOf({ isAll, logspaces, scope }: GrantDraft): Grant {
  const trimmed = scope.trim();
  return {
    logspaces: isAll ? null : logspaces.toSorted(),
    scope: trimmed === '' ? null : trimmed,
  };
}

/** Whether it cannot be granted in its current state. */
export function isIncomplete({ isAll, logspaces }: GrantDraft): boolean {
  return !isAll && logspaces.length === 0;
}

export function GrantFields(props: Props) {
  const { draft, isSender = false, scopeError, logspacesError, onChange } = props;
  const { data: known = [] } = useQuery(logspacesQuery);
  // A granted logspace that no longer exists can still be removed.
  const ids = [...new Set([...known.map(({ id }) => id), ...draft.logspaces])].sort();
  const wrong = logspacesError ?? (isIncomplete(draft) ? 'Choose at least one.' : undefined);
  return (
    <>
      <div>
        <div className="flex spread alignBaseline gap8 marginBottom4">
          <h3 id="logspaces">{isSender ? 'Logspaces it may name' : 'Logspaces'}</h3>
          <SegmentedControl
            aria-labelledby="logspaces"
            value={draft.isAll ? 'all' : 'some'}
            data={[
              { value: 'all', label: isSender ? 'None' : 'All' },
              { value: 'some', label: 'Only these' },
            ]}
            onChange={(value) => onChange({ ...draft, isAll: value === 'all' })}
          />
        </div>
        {isSender && draft.isAll && <p className="dimmed">The routes decide where it goes.</p>}
        {!isSender && draft.isAll && (
          <p className="dimmed">
            Also those that are added later, but private ones for administrators alone.
          </p>
        )}
        {!draft.isAll && (
          <Checkbox.Group
            aria-labelledby="logspaces"
            value={[...draft.logspaces]}
            onChange={(logspaces) => onChange({ ...draft, logspaces })}
          >
            <div className="flex wrap gap8 marginTop8">
              {ids.map((id) => (
                <Checkbox
                  key={id}
                  className={classes.chip ?? ''}
                  data-on={draft.logspaces.includes(id)}
                  value={id}
                  label={id}
                />
              ))}
            </div>
          </Checkbox.Group>
        )}
        {wrong !== undefined && !draft.isAll && <p className={classes.wrong}>{wrong}</p>}
      </div>
      {!isSender && (
        <Scope
          draft={draft}
          error={scopeError}
          onChange={(scope) => onChange({ ...draft, scope })}
        />
      )}
    </>
  );
}

type ScopeProps = {
  draft: GrantDraft;
  error: ReactNode;
  onChange: (scope: string) => void;
};

function Scope({ draft, error, onChange }: ScopeProps) {
  const { isAll, logspaces } = draft;
  const complete = useMemo(() => {
    const range = requestRange({ kind: 'last', span: '24h' });
    return completeIn({ ...range, logspaces: isAll ? [] : logspaces });
  }, [isAll, logspaces]);
  return (
    <div>
      <div className="flex spread alignBaseline gap8 marginBottom4">
        <h3>Only messages that match</h3>
      </div>
      <QueryField
        label="Only messages that match"
        placeholder="All messages, or a filter such as host:web-*"
        value={draft.scope}
        isBad={error !== undefined}
        complete={complete}
        onChange={onChange}
        onRun={() => undefined}
      />
      {error !== undefined && (
        <p className={classes.wrong} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
