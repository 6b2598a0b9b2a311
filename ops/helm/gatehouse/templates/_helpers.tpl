{{- define "gatehouse.fullname" -}}
{{- if contains "gatehouse" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-gatehouse" (.Release.Name | trunc 30 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The keys of the Secret that a component needs, as a JSON array. Only the migration Job receives the credentials for the
role that owns the tables.
*/}}
{{- define "gatehouse.secretKeys" -}}
{{- $keys := .root.Values.secret.keys -}}
{{- if ne .component "migrate" -}}
{{- $keys = without $keys "MIGRATE_DATABASE_URL" -}}
{{- end -}}
{{- $keys | toJson -}}
{{- end -}}

{{/*
A component's pod.
Arguments: root, component, program (the arguments for node), resources, probes, ports, preStopSeconds, stopSeconds.
*/}}
{{- define "gatehouse.pod" -}}
{{- $root := .root -}}
{{- $keys := include "gatehouse.secretKeys" . | fromJsonArray -}}
metadata:
  labels:
    {{- include "gatehouse.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with $root.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if eq .component "migrate" }}
  restartPolicy: Never
  {{- end }}
  automountServiceAccountToken: false
  # The variables from a Service that is called "metrics" would set METRICS_PORT.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add .preStopSeconds .stopSeconds }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    # Makes the Secret's files readable.
    fsGroup: 1000
    seccompProfile:
      type: RuntimeDefault
  {{- with $root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and (ne .component "migrate") $root.Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range $root.Values.topologySpreadConstraints }}
    - {{- toYaml . | nindent 6 }}
      labelSelector:
        matchLabels:
          {{- include "gatehouse.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $.component }}
      # Otherwise, the constraint would also count the previous version's pods during an update.
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "gatehouse.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      command: {{ concat (list "node") .program | toJson }}
      env:
        {{- range $name, $value := $root.Values.settings }}
        - name: {{ $name }}
          value: {{ $value | toString | quote }}
        {{- end }}
        - name: HOST
          value: 0.0.0.0
        - name: PORT
          value: '3000'
        - name: DATA_DIR
          value: /tmp/gatehouse
        - name: MIGRATE
          value: 'off'
        - name: METRICS_PORT
          value: '9464'
        {{- with $root.Values.extraCaCertificates }}
        - name: NODE_EXTRA_CA_CERTS
          value: {{ . | quote }}
        {{- end }}
        {{- range $keys }}
        - name: {{ . }}_FILE
          value: /run/secrets/gatehouse/{{ . }}
        {{- end }}
      {{- with .ports }}
      ports:
        {{- range $name, $port := . }}
        - name: {{ $name }}
          containerPort: {{ $port }}
        {{- end }}
      {{- end }}
      {{- with .probes }}
      livenessProbe:
        httpGet: { path: /livez, port: {{ . }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: {{ . }} }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- end }}
      {{- if .preStopSeconds }}
      lifecycle:
        preStop:
          # Waits until no proxy and no node sends new requests to this pod.
          sleep: { seconds: {{ .preStopSeconds }} }
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        - name: secret
          mountPath: /run/secrets/gatehouse
          readOnly: true
        {{- with $root.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    - name: secret
      secret:
        secretName: {{ $root.Values.secret.name }}
        defaultMode: 0440
        items:
          {{- range $keys }}
          - { key: {{ . }}, path: {{ . }} }
          {{- end }}
    {{- with $root.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
