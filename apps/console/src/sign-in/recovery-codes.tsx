import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { CopyTextButton } from '../components/copy-button';
import { downloadText } from '../components/download';
import { Icon } from '../components/icon';
import classes from './recovery-codes.module.css';

/**
 * Renders recovery codes, which are shown only once. To continue, the operator must confirm that they are
 * saved.
 */
export function RecoveryCodes({ codes, onSaved }: { codes: string[]; onSaved: () => void }): ReactNode {
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    const preventUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, []);
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Save these codes now">
        <Text>These codes are shown only once. Store them where you can find them without your phone.</Text>
      </Alert>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyTextButton value={codes.join('\n')} name="recovery codes" />
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="download" size={14} />}
          onClick={() => downloadText('gatehouse-recovery-codes.txt', `${codes.join('\n')}\n`)}
        >
          Download
        </Button>
      </Group>
      <Checkbox
        label="I have saved these codes"
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Button disabled={!isSaved} onClick={onSaved}>
        Continue
      </Button>
    </Stack>
  );
}
