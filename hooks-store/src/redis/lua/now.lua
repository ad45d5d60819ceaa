return {'now', now}
