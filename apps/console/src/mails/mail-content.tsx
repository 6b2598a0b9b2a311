import { SegmentedControl } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { JsonView } from '../components/json-view';

/**
 * Shows an email's text, or its HTML as source, because an email's content must never become console markup.
 */
export function MailContent({ mail }: { mail: { text: string; html: string } }): ReactNode {
  const [isSource, setSource] = useState(false);
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="Format"
        value={isSource ? 'html' : 'text'}
        onChange={(shown) => setSource(shown === 'html')}
        data={[
          { value: 'text', label: 'Text' },
          { value: 'html', label: 'HTML source' },
        ]}
      />
      <JsonView name={isSource ? 'HTML source' : 'Text'} value={isSource ? mail.html : mail.text} />
    </>
  );
}
