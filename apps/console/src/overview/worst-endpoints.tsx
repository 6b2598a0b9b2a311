import { Anchor, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { formatPercent } from '../components/format-percent';
import { UntrustedText } from '../components/untrusted-text';
import { listPath } from '../lists/list-path';
import classes from './overview.module.css';

type Overview = Schemas['OverviewResponse'];

/** Renders the endpoints with the most failed attempts, with links to these attempts. */
export function WorstEndpoints({ overview, project }: { overview: Overview; project: string }): ReactNode {
  const { worstEndpoints, range: time } = overview;
  return (
    <>
      <Title order={2} fz="sm" mb="xs">
        Endpoints with the most failures
      </Title>
      {worstEndpoints.length === 0 ? (
        <Text c="dimmed">No failed attempts in this period</Text>
      ) : (
        <Table layout="fixed" horizontalSpacing="xs" fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th ta="right" w="5.5rem" visibleFrom="sm">
                Attempts
              </Table.Th>
              <Table.Th ta="right" w="4.5rem">
                Failed
              </Table.Th>
              <Table.Th ta="right" w="5rem">
                Success
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {worstEndpoints.map(({ endpointId, name, url, attempts, failed, successRate }) => (
              <Table.Tr key={endpointId}>
                <Table.Td>
                  <Anchor component={Link} to={`/endpoints/${endpointId}`} className={classes.url}>
                    <UntrustedText text={name} tooltip={url} />
                  </Anchor>
                </Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {attempts.toLocaleString('en')}
                </Table.Td>
                <Table.Td ta="right">
                  <Anchor
                    component={Link}
                    to={listPath('/deliveries/attempts', {
                      time,
                      project_id: project,
                      endpoint_id: endpointId,
                      success: 'false',
                    })}
                    aria-label={`${failed.toLocaleString('en')} failed attempts of this endpoint`}
                  >
                    {failed.toLocaleString('en')}
                  </Anchor>
                </Table.Td>
                <Table.Td ta="right">{formatPercent(successRate)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}
