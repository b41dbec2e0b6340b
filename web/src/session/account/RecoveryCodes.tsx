/** The recovery codes, which are shown only once. */
import { Button, Group } from '@mantine/core';
import { Notice } from '../../ui/Notice';
import { copyText } from '../../ui/clipboard';
import { download } from '../../ui/download';
import { toast } from '../../ui/toast';
import classes from './Account.module.css';

type Props = { codes: readonly string[]; onDone: () => void };

export function RecoveryCodes({ codes, onDone }: Props) {
  const text = `${codes.join('\n')}\n`;
  const copy = () =>
    void copyText(text).then((copied) =>
      toast(
        copied
          ? { tone: 'good', title: 'The recovery codes are copied' }
          : { tone: 'error', title: 'The browser does not let the page copy' },
      ),
    );
  return (
    <div className="stack gap12">
      <Notice tone="caution" title="Keep these recovery codes now">
        They are not shown again. Each lets you sign in once if the app is lost; keep them where the
        app is not.
      </Notice>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap={8}>
        <Button size="sm" onClick={copy}>
          Copy
        </Button>
        <Button
          size="sm"
          onClick={() =>
            download(new Blob([text], { type: 'text/plain' }), 'logstead-recovery-codes.txt')
          }
        >
          Download
        </Button>
        <Button variant="filled" size="sm" onClick={onDone}>
          I have kept them
        </Button>
      </Group>
    </div>
  );
}
