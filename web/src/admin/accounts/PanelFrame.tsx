/** A panel beside the tables: its header, its contents, and its buttons, which stay in view. */
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Form } from '../../ui/Form';
import { problemOf } from '../../api/client';
import { IconButton } from '../../ui/IconButton';
import { Prose } from '../../ui/Prose';
import { Copy } from '../../ui/Copy';
import { Notice } from '../../ui/Notice';
import classes from './Panel.module.css';

type Props = {
  title: string;
  about?: ReactNode;
  /** Shown before the title. */
  mark?: ReactNode;
  /** Shown beside the close button. */
  menu?: ReactNode;
  foot?: ReactNode;
  onSubmit?: () => void;
  onClose: () => void;
  children: ReactNode;
};

export function PanelFrame(props: Props) {
  const { title, about, mark, menu, foot, onSubmit, onClose, children } = props;
  return (
    <Form className="stack minHeight0 fullHeight" noValidate onSubmit={() => onSubmit?.()}>
      <div className={classes.head}>
        {mark}
        <div className={classes.title}>
          <h2 id="panel-title" className="truncate" tabIndex={-1}>
            {title}
          </h2>
          {about !== undefined && <p className="small dimmed">{about}</p>}
        </div>
        {menu}
        <IconButton icon={IconX} iconSize={18} label="Close" onClick={onClose} />
      </div>
      <div className="stack gap16 pad16 grow minHeight0 scroll">{children}</div>
      {foot !== undefined && <div className={classes.foot}>{foot}</div>}
    </Form>
  );
}

/** The form fields that a refusal is about. The problem with one field, if the refusal names it. */
export function errorAt(error: Error | null, path: string): ReactNode {
  if (error === null || problemOf(error).path !== path) return undefined;
  return <Prose text={error.message} />;
}

/** The part of a refusal that is not shown at a field. */
export function otherError(error: Error | null, paths: readonly string[]): string | undefined {
  if (error === null || paths.includes(problemOf(error).path ?? '')) return undefined;
  return error.message;
}

type SecretProps = { of: string; secret: string; note?: string; onDone: () => void };

/** A secret, which is shown only once. */
export function Secret({ of, secret, note, onDone }: SecretProps) {
  return (
    <div className="stack gap12">
      <Notice tone="caution" title="Copy the secret now: it is not shown again">
        {note}
      </Notice>
      <div className={classes.secret}>
        <code className="mono" aria-label={`Secret of ${of}`}>
          {secret}
        </code>
        <Copy what="secret" text={secret} />
      </div>
      <p className="dimmed">
        Programs send it as <code className="mono">Authorization: Bearer SECRET</code>
      </p>
      <div>
        <Button variant="filled" data-autofocus onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
