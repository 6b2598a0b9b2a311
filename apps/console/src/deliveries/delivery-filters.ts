import { statusClassLabels } from '../components/status-class';
import {
  choiceFilter,
  endpointFilter,
  eventTypeFilter,
  organizationFilter,
  projectFilter,
  textFilter,
  type Filter,
} from '../lists/filters';

/** The filters for a delivery's event type, organization, project and endpoint. */
export const deliveryOwnerFilters = {
  event: eventTypeFilter(),
  organization_id: organizationFilter(),
  project_id: projectFilter(),
  endpoint_id: endpointFilter(),
};

/** Creates a filter for the HTTP status class. */
export const statusClassFilter = (label: string): Filter => choiceFilter(label, statusClassLabels);

/** Creates the search for a list of deliveries or attempts. */
export const deliverySearchFilter = (): Filter =>
  textFilter('Search', 'Email, endpoint name, start of URL, delivery or event ID');

export const deliveryStateFilter = (label: string): Filter =>
  choiceFilter(label, {
    pending: 'Pending delivery',
    succeeded: 'Succeeded delivery',
    failed: 'Failed delivery',
    cancelled: 'Canceled delivery',
  });
