import { Alert, Anchor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { HealthProblem } from './health';
import { Icon } from '../components/icon';

/** Renders problems, each with a link to the related records. */
export function HealthProblems({ problems }: { problems: HealthProblem[] }): ReactNode {
  const isBad = problems.some(({ status }) => status.tone === 'bad');
  return (
    <Alert
      role="status"
      color={isBad ? 'red' : 'yellow'}
      icon={<Icon name="alert" size={20} />}
      title={isBad ? 'Action required' : 'Needs attention'}
    >
      <Stack gap={4}>
        {problems.map(({ name, status, to }) => (
          <Text key={name}>
            <b>
              {to ? (
                <Anchor component={Link} to={to} inherit>
                  {name}
                </Anchor>
              ) : (
                name
              )}
              : {status.label.toLowerCase()}.
            </b>{' '}
            {status.description}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
