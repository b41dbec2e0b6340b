/** The test as a file or on the clipboard. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconCopy, IconDownload, IconFileText } from '@tabler/icons-react';
import { copyText } from '../../ui/clipboard';
import { download } from '../../ui/download';
import { toast } from '../../ui/toast';
import { type Reported, reportJson, reportMarkdown, reportName } from './reportText';
import classes from './Testing.module.css';

export function ReportMenu({ reported }: { reported: Reported | null }) {
  const keep = (text: string, ending: 'md' | 'json') => {
    const type = ending === 'md' ? 'text/markdown' : 'application/json';
    if (reported !== null) download(new Blob([text], { type }), reportName(reported, ending));
  };
  const copy = async (text: string) => {
    const isCopied = await copyText(text);
    toast(
      isCopied
        ? { tone: 'good', title: 'The report is on the clipboard' }
        : { tone: 'error', title: 'The browser did not let the report be copied' },
    );
  };
  return (
    <Menu position="bottom-end" disabled={reported === null}>
      <Menu.Target>
        <Button
          variant="default"
          disabled={reported === null}
          aria-label="Report"
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          <span className={classes.label}>Report</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {reported !== null && (
          <>
            <Menu.Item
              leftSection={<IconFileText size={16} aria-hidden />}
              onClick={() => keep(reportMarkdown(reported), 'md')}
            >
              Download as Markdown
            </Menu.Item>
            <Menu.Item
              leftSection={<IconFileText size={16} aria-hidden />}
              onClick={() => keep(reportJson(reported), 'json')}
            >
              Download as JSON
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCopy size={16} aria-hidden />}
              onClick={() => void copy(reportMarkdown(reported))}
            >
              Copy as Markdown
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
