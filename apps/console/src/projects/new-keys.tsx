import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyTextButton } from '../components/copy-button';
import { downloadText } from '../components/download';
import { Icon } from '../components/icon';
import { OneTimeSecret } from '../components/one-time-secret';
import type { CreatedKey } from './api-key';
import { envFile, environmentStyles, type EnvironmentStyle } from './env-file';
import classes from './new-keys.module.css';

/** Shows the values of new keys once. Several keys share one .env file. */
export function NewKeys({ projectId, keys }: { projectId: string; keys: CreatedKey[] }): ReactNode {
  const [style, setStyle] = useState<EnvironmentStyle>('server');
  const [key] = keys;
  if (key && keys.length === 1) {
    return (
      <OneTimeSecret
        name={key.type === 'secret' ? 'Secret key' : 'Publishable key'}
        value={key.key}
        variable={key.type === 'secret' ? 'GATEHOUSE_SECRET_KEY' : 'GATEHOUSE_PUBLISHABLE_KEY'}
      />
    );
  }
  const text = envFile(keys, { url: window.location.origin, projectId, style });
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Save these values now">
        <Text>
          They are shown only once and cannot be retrieved later. If you lose one, create a new key.
        </Text>
      </Alert>
      <SegmentedControl
        aria-label="Names of the variables"
        value={style}
        onChange={setStyle}
        data={Object.entries(environmentStyles).map(([value, label]) => ({
          value: value as EnvironmentStyle,
          label,
        }))}
      />
      {/* Scrollable content must be reachable with the keyboard. */}
      <pre className={classes.file} tabIndex={0} aria-label=".env file">
        {text}
      </pre>
      <Group gap="xs">
        <CopyTextButton value={text} name=".env file" />
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="download" size={14} />}
          // Browsers change file names that start with a dot.
          onClick={() => downloadText('gatehouse.env', text)}
        >
          Download as .env
        </Button>
      </Group>
    </Stack>
  );
}
