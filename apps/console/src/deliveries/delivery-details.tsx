import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useGet } from '../http/queries';
import { PropertyList } from '../components/property-list';
import { UntrustedText, UntrustedUrl } from '../components/untrusted-text';
import { Id } from '../components/id';
import { RelativeTime } from '../components/relative-time';
import type { Delivery } from './explain-redelivery-rejection';

export function DeliveryDetails({ delivery }: { delivery: Delivery }): ReactNode {
  const {
    id,
    endpoint_id: endpointId,
    project_id: projectId,
    finished_at: finishedAt,
    next_attempt_at: dueAt,
  } = delivery;
  return (
    <PropertyList
      items={{
        Delivery: <Id id={id} />,
        Event: <Id id={delivery.event_id} to={`/events/${delivery.event_id}`} />,
        Endpoint:
          delivery.endpoint_status === 'deleted' ? (
            <>
              <UntrustedText text={delivery.endpoint_name} /> (deleted)
            </>
          ) : (
            <Anchor component={Link} to={`/endpoints/${endpointId}`} inherit>
              <UntrustedText text={delivery.endpoint_name} />
            </Anchor>
          ),
        URL: <UntrustedUrl text={delivery.target_url} />,
        Project: projectId ? <ProjectName id={projectId} /> : 'None (organization-level event)',
        Created: <RelativeTime at={delivery.created_at} />,
        ...(dueAt ? { 'Next attempt': <RelativeTime at={dueAt} /> } : {}),
        ...(finishedAt ? { Finished: <RelativeTime at={finishedAt} /> } : {}),
        ...(delivery.redelivery_of
          ? {
              'Redelivery of': (
                <Id id={delivery.redelivery_of} short to={`/deliveries/${delivery.redelivery_of}`} />
              ),
            }
          : {}),
      }}
    />
  );
}

function ProjectName({ id: projectId }: { id: string }): ReactNode {
  const { data: project } = useGet('/operator/v1/projects/{projectId}', { path: { projectId } });
  return (
    <Anchor component={Link} to={`/projects/${projectId}`} inherit>
      <UntrustedText text={project?.name ?? projectId} />
    </Anchor>
  );
}
