/** A boxed notice: something failed, something is missing, or something is good to know. */
import { Button, Group } from '@mantine/core';
import { IconAlertTriangle, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Prose } from './Prose';
import classes from './Notice.module.css';

type Tone = 'error' | 'caution' | 'info';

type Props = {
  tone: Tone;
  title: ReactNode;
  children?: ReactNode;
  onRetry?: (() => void) | undefined;
};

/** Errors interrupt a screen reader; other notices wait. */
export function Notice({ tone, title, children, onRetry }: Props) {
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'error' ? 'alert' : 'status'}>
      <span className={classes.icon}>{icons[tone]}</span>
      <div className="grow minWidth0 breakAnywhere">
        <div className="bold">{typeof title === 'string' ? <Prose text={title} /> : title}</div>
        {children}
        {onRetry !== undefined && (
          <Group mt={8}>
            <Button onClick={onRetry}>Try again</Button>
          </Group>
        )}
      </div>
    </div>
  );
}

type FailureProps = { error: Error | null; onRetry?: () => void };

/** Why something failed, if it did. */
export function Failure({ error, onRetry }: FailureProps) {
  if (error === null) return null;
  return <Notice tone="error" title={error.message} onRetry={onRetry} />;
}

const icons: Readonly<Record<Tone, ReactNode>> = {
  error: <IconCircleX size={16} aria-hidden />,
  caution: <IconAlertTriangle size={16} aria-hidden />,
  info: <IconInfoCircle size={16} aria-hidden />,
};
