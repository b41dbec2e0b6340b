/** The user's own account: the password, the second factor, and the sessions. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import {
  type Account,
  type SessionEntry,
  accountQuery,
  endOtherSessions,
  endSessionById,
  removeTotp,
  renewRecoveryCodes,
  sessionsQuery,
} from '../../api/account';
import { Loading } from '../../ui/Loading';
import { Failure } from '../../ui/Notice';
import { toast } from '../../ui/toast';
import { Dialog } from '../../ui/Dialog';
import { useCommands } from '../../ui/commands';
import { formatAge, formatTime, useZone } from '../../ui/time';
import { Table, UnseenHead } from '../../ui/Table';
import { browserName } from '../../ui/browserName';
import { PasswordForm } from '../PasswordForm';
import { Enrolment } from './Enrolment';
import { PasswordStep } from './PasswordStep';
import { RecoveryCodes } from './RecoveryCodes';
import classes from './Account.module.css';

export function AccountPage() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  return (
    <div className="stack gap12 padPage">
      <div className="flex wrap alignBaseline gap4x12">
        <h1>Account</h1>
        {account !== undefined && <p className="dimmed">{described(account)}</p>}
      </div>
      <Failure error={error} onRetry={() => void refetch()} />
      {account === undefined && error === null && <Loading heights={[240]} />}
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

const CODES_FEW = 3;

/** Shows whether signing in needs a code, and the actions to change that. */
function SecondFactor({ account }: { account: Account }) {
  const [zone] = useZone();
  const cache = useQueryClient();
  const [enrolOpen, enrol] = useDisclosure(false);
  const [renewOpen, renew] = useDisclosure(false);
  const [removeOpen, remove] = useDisclosure(false);
  const reload = () => void cache.invalidateQueries({ queryKey: accountQuery.queryKey });
  const factor = account.second_factor;
  useCommands([
    factor === null
      ? { id: 'enrol', title: 'Set up a second factor', words: 'totp 2fa app', run: enrol.open }
      : { id: 'renew', title: 'New recovery codes', words: 'totp 2fa', run: renew.open },
  ]);
  return (
    <section className={classes.panel} aria-labelledby="second-factor">
      <h2 id="second-factor">Second factor</h2>
      {factor === null ? (
        <>
          <p className="dimmed">
            With a second factor, signing in takes a code of an authenticator app besides the
            password.
          </p>
          <Group>
            <Button variant="filled" size="sm" onClick={enrol.open}>
              Set up
            </Button>
          </Group>
        </>
      ) : (
        <>
          <p>On since {formatTime(factor.since, zone).slice(0, 16)}.</p>
          <p className={classes.left} data-few={factor.recovery_codes_left < CODES_FEW}>
            {factor.recovery_codes_left} recovery{' '}
            {factor.recovery_codes_left === 1 ? 'code is' : 'codes are'} left.
          </p>
          <Group gap={8}>
            <Button size="sm" onClick={renew.open}>
              New recovery codes
            </Button>
            {!account.second_factor_demanded && (
              <Button size="sm" onClick={remove.open}>
                Turn off
              </Button>
            )}
          </Group>
          {account.second_factor_demanded && (
            <p className="dimmed">Users with the role {account.role} need it.</p>
          )}
        </>
      )}
      <Dialog opened={enrolOpen} onClose={enrol.close} title="Set up a second factor">
        <Enrolment
          name={account.name}
          onDone={() => {
            enrol.close();
            reload();
            toast({ tone: 'good', title: 'Signing in takes a code from now on' });
          }}
        />
      </Dialog>
      <Dialog opened={renewOpen} onClose={renew.close} title="New recovery codes" size="sm">
        <Renewal
          name={account.name}
          onDone={() => {
            renew.close();
            reload();
          }}
        />
      </Dialog>
      <Dialog
        opened={removeOpen}
        onClose={remove.close}
        title="Turn the second factor off"
        size="sm"
      >
        <Removal
          name={account.name}
          onDone={() => {
            remove.close();
            reload();
            toast({ tone: 'info', title: 'The second factor is off' });
          }}
        />
      </Dialog>
    </section>
  );
}

type StepProps = { name: string; onDone: () => void };

function Renewal({ name, onDone }: StepProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const renew = useMutation({ mutationFn: renewRecoveryCodes, onSuccess: setCodes });
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />;
  return (
    <>
      <p className="marginBottom12">Those that you have now stop working.</p>
      <PasswordStep
        name={name}
        action="Make new codes"
        isPending={renew.isPending}
        error={renew.error}
        onSubmit={(password) => renew.mutate(password)}
      />
    </>
  );
}

function Removal({ name, onDone }: StepProps) {
  const remove = useMutation({
    mutationFn: ({ password, code }: { password: string; code: string }) =>
      removeTotp(password, code),
    onSuccess: onDone,
  });
  return (
    <PasswordStep
      name={name}
      action="Turn off"
      needsCode
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={(password, code) => remove.mutate({ password, code })}
    />
  );
}

/** The user's sessions, and how to end them. */
export function SessionTable() {
  const { data: sessions, error, refetch, dataUpdatedAt } = useQuery(sessionsQuery);
  const cache = useQueryClient();
  const reload = () => void cache.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const failed = (failure: Error) =>
    toast({ tone: 'error', title: 'The session is not ended', detail: failure.message });
  const endOne = useMutation({ mutationFn: endSessionById, onSettled: reload, onError: failed });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSettled: reload,
    onError: failed,
    onSuccess: () => toast({ tone: 'good', title: 'All other sessions have ended' }),
  });
  const hasOthers = sessions?.some(({ current }) => !current) === true;
  return (
    <section className={classes.table} tabIndex={0} aria-label="Sessions">
      <div className={classes.head}>
        <h2>Sessions</h2>
        <Button
          disabled={!hasOthers}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          End all others
        </Button>
      </div>
      <Failure error={error} onRetry={() => void refetch()} />
      {sessions !== undefined && (
        <Table heads={['Browser', 'Address', 'Began', 'Last used', <UnseenHead label="Actions" />]}>
          {sessions.map((session) => (
            <Row
              key={session.id}
              session={session}
              now={dataUpdatedAt}
              isEnding={endOne.isPending && endOne.variables === session.id}
              onEnd={() => endOne.mutate(session.id)}
            />
          ))}
        </Table>
      )}
    </section>
  );
}

type RowProps = { session: SessionEntry; now: number; isEnding: boolean; onEnd: () => void };

function Row({ session, now, isEnding, onEnd }: RowProps) {
  const [zone] = useZone();
  const name = browserName(session.user_agent);
  return (
    <tr>
      <th scope="row" title={session.user_agent ?? undefined}>
        {name}
      </th>
      <td>{session.address ?? 'unknown'}</td>
      <td>{formatTime(session.began_at, zone).slice(0, 16)}</td>
      <td>{session.current ? 'now' : formatAge(session.last_used, now)}</td>
      <td>
        {session.current ? (
          <span className="meta good">This session</span>
        ) : (
          <Button
            loading={isEnding}
            onClick={onEnd}
            aria-label={`End the session of ${name} from ${session.address ?? 'an unknown address'}`}
          >
            End
          </Button>
        )}
      </td>
    </tr>
  );
}
