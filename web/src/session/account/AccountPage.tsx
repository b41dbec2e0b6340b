/** One's own account: the password, the second factor, and where one is signed in. */
import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Account, accountQuery, sessionsQuery } from '../../api/account';
import { Notice } from '../../ui/Notice';
import { toast } from '../../ui/toast';
import { PasswordForm } from '../PasswordForm';
import { SecondFactor } from './SecondFactor';
import { SessionTable } from './SessionTable';
import classes from './Account.module.css';

export function AccountPage() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  return (
    <div className={classes.page}>
      <div className={classes.title}>
        <h1>Account</h1>
        {account !== undefined && <p className="dimmed">{described(account)}</p>}
      </div>
      {error !== null && (
        <Notice tone="error" title={error.message} onRetry={() => void refetch()} />
      )}
      {account === undefined && error === null && (
        <div role="status" aria-label="Loading">
          <Skeleton height={240} />
        </div>
      )}
      {account !== undefined && (
        <>
          <div className={classes.panels}>
            <Password account={account} />
            {account.origin?.startsWith('oidc:') !== true && <SecondFactor account={account} />}
          </div>
          <SessionTable />
        </>
      )}
    </div>
  );
}

function Password({ account }: { account: Account }) {
  const cache = useQueryClient();
  const changed = () => {
    void cache.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    toast({ tone: 'good', title: 'The password is changed' });
  };
  return (
    <section className={classes.panel} aria-labelledby="password">
      <h2 id="password">Password</h2>
      {account.origin === null ? (
        <PasswordForm name={account.name} onChanged={changed} />
      ) : (
        <p className="dimmed">
          You sign in with {provider(account.origin)}, where your password is kept.
        </p>
      )}
    </section>
  );
}

/** `ana, analyst, in main and audit, limited to host:web-*` */
function described({ name, role, logspaces, scope }: Account): string {
  const places = logspaces === null ? '' : `, in ${logspaces.join(' and ')}`;
  return `${name}, ${role}${places}${scope === null ? '' : `, limited to ${scope}`}`;
}

/** `oidc:corp` is `corp`. */
function provider(origin: string): string {
  return origin.slice(origin.indexOf(':') + 1);
}
