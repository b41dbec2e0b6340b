/** Sets up a second factor, step by step: the password, the app and its first code, the recovery codes. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import encodeQR from 'qr';
import { Form } from '../../ui/Form';
import { type TotpEnrolment, beginTotp, confirmTotp } from '../../api/account';
import { Copy } from '../../ui/Copy';
import { Failure } from '../../ui/Notice';
import { PasswordStep } from './PasswordStep';
import { RecoveryCodes } from './RecoveryCodes';
import { TextField } from '../../ui/Fields';
import classes from './Account.module.css';

type Props = { name: string; onDone: () => void };

export function Enrolment({ name, onDone }: Props) {
  const begin = useMutation({ mutationFn: beginTotp });
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (begin.data !== undefined) return <AppStep totp={begin.data} onConfirmed={setCodes} />;
  return (
    <PasswordStep
      name={name}
      action="Continue"
      isPending={begin.isPending}
      error={begin.error}
      onSubmit={(password) => begin.mutate(password)}
    />
  );
}

type AppProps = { totp: TotpEnrolment; onConfirmed: (codes: readonly string[]) => void };

function AppStep({ totp, onConfirmed }: AppProps) {
  const [code, setCode] = useState('');
  const confirm = useMutation({ mutationFn: confirmTotp, onSuccess: onConfirmed });
  return (
    <Form className="stack gap12" onSubmit={() => confirm.mutate(code)}>
      <p>Scan this with an authenticator app, then type the code that it shows.</p>
      <div className="row wrap gap16">
        <QrCode text={totp.uri} label="QR code for the authenticator app" />
        <div>
          <p className="dimmed">Or type the key into the app:</p>
          <p className={classes.secret}>
            <code className="mono">{totp.secret.match(/.{1,4}/g)?.join(' ')}</code>
            <Copy what="key" text={totp.secret} />
          </p>
        </div>
      </div>
      <Failure error={confirm.error} />
      <TextField
        label="Code"
        description="Six digits"
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        required
        value={code}
        onChange={setCode}
      />
      <Button variant="filled" type="submit" size="sm" loading={confirm.isPending}>
        Confirm
      </Button>
    </Form>
  );
}

const QUIET = 4;

/**
 * A text as a QR code. It is drawn here because it is a secret that no other program may see. It is
 * always dark on white, as cameras expect.
 */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = drawing(text);
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The dark squares as a path, with a square as the unit. */
export function drawing(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size: rows.length, path: squares.join('') };
}
